# The habits people know; ./clickwake does the work.
.PHONY: help demo up job stop down status doctor logs clean test check fuzz

help: ## List these commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: ## Run the whole product with a demo site and sample traffic
	@./clickwake demo

up: ## Run Kafka, the session job and the API in the background
	@./clickwake up --detach

job: ## Run only the session job, against CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS
	@./clickwake job

stop: ## Stop everything
	@./clickwake stop

down: stop ## Stop everything

status: ## Show what runs
	@./clickwake status

doctor: ## Say what is wrong, and what to do
	@./clickwake doctor

logs: ## Follow the logs
	@./clickwake logs --follow

clean: ## Delete all recorded data
	@./clickwake clean

test: ## Check and test everything
	@./clickwake test

check: ## Check the form of the code
	@./clickwake check

fuzz: ## Look for input that breaks a promise: make fuzz SECONDS=300 TARGETS="texts spool"
	@.venv/bin/python -m tests.fuzz $(TARGETS) --seconds $(or $(SECONDS),60)
