import { Choice } from "./choice";
import type { PartProps } from "./page";
import { question } from "../../core/exploration";
import type { Cohort, RetentionAnswer } from "../../core/explore_answers";
import { count, percent } from "../../core/format";
import { averages, laterIntervals, shade } from "../../core/heat";
import { t } from "../../core/language";
import { Answer } from "../../view/asked";
import { useAnswer } from "../../view/use_answer";

export function RetentionPart({ asked, filters, place, change }: PartProps) {
  const path = question(asked, filters, place);
  const found = useAnswer<RetentionAnswer>(path);
  const texts = t().explore.retention;
  return (
    <section class="panel" aria-labelledby="retention-title">
      <div class="panel-head">
        <h3 id="retention-title" class="panel-title">
          {texts.title}
        </h3>
      </div>
      <div class="fields">
        <Choice
          label={texts.interval}
          value={asked.interval}
          options={[
            ["week", texts.week],
            ["day", texts.day],
          ]}
          onChange={(interval) => change({ interval })}
        />
      </div>
      {path === null && <p class="hint">{t().explore.chooseDates}</p>}
      <Answer asked={found}>{(answer) => <Grid answer={answer} />}</Answer>
    </section>
  );
}

function Grid({ answer }: { readonly answer: RetentionAnswer }) {
  const texts = t().explore.retention;
  const cohorts = answer.cohorts.filter((cohort) => cohort.visitors > 0);
  if (cohorts.length === 0) return <p class="hint">{texts.nobody}</p>;
  const columns = laterIntervals(cohorts);
  return (
    <>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={texts.table}>
        <table class="data-table retention" data-testid="retention">
          <caption class="visually-hidden">{texts.table}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.cohorts[answer.interval]}</th>
              <th scope="col" class="number">
                {texts.visitors}
              </th>
              {columns.map((number) => (
                <th key={number} scope="col" class="number">
                  {texts.later[answer.interval](number)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cohorts.map((cohort) => (
              <Row key={cohort.label} cohort={cohort} columns={columns} />
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{texts.all}</th>
              <td class="number">
                {count(cohorts.reduce((sum, cohort) => sum + cohort.visitors, 0))}
              </td>
              {averages(cohorts).map(({ number, rate }) => (
                <td key={number} class="number">
                  {rate === null ? "–" : percent(rate)}
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
      <p class="quiet">{texts.unfinished}</p>
    </>
  );
}

interface RowProps {
  readonly cohort: Cohort;
  readonly columns: readonly number[];
}

function Row({ cohort, columns }: RowProps) {
  const texts = t().explore.retention;
  const byNumber = new Map(cohort.returned.map((one) => [one.number, one]));
  return (
    <tr>
      <th scope="row">{cohort.label.slice(0, 10)}</th>
      <td class="number">{count(cohort.visitors)}</td>
      {columns.map((number) => {
        const one = byNumber.get(number);
        if (!one) return <td key={number} class="retention-none" />;
        return (
          <td
            key={number}
            class={`number heat heat-${shade(one.rate)}`}
            title={texts.cell(count(one.visitors), count(cohort.visitors))}
          >
            {percent(one.rate)}
            {!one.complete && <span aria-hidden="true"> *</span>}
            {!one.complete && <span class="visually-hidden"> {texts.notOver}</span>}
          </td>
        );
      })}
    </tr>
  );
}
