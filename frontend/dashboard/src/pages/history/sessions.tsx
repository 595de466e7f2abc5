import { ColumnPicker } from "./column_picker";
import { ProblemNote } from "../../view/problem";
import { SessionTable } from "./session_table";
import { useColumns } from "./use_columns";
import { useSessions, type Rows } from "./use_sessions";
import { Disclosure } from "./disclosure";
import { fieldsOf, type Column } from "../../core/columns";
import { count } from "../../core/format";
import { EXPORT_FORMATS, exportPath, sessionsPath, type Scope } from "../../core/history_query";
import type { View } from "../../core/history_view";
import { t } from "../../core/language";
import { fileAddress } from "../../shell/ask";
import type { Dashboard } from "../../shell/dashboard";

interface Props {
  readonly scope: Scope;
  readonly view: View;
  readonly dashboard: Dashboard;
  readonly onChange: (part: Partial<View>) => void;
}

/** The sessions themselves, as many as there are, and what is on screen as a file. */
export function Sessions({ scope, view, dashboard, onChange }: Props) {
  const [columns, choose] = useColumns();
  const fields = fieldsOf(columns);
  const { rows, more, again } = useSessions((cursor) =>
    sessionsPath(scope, view.sort, fields, cursor),
  );
  const told = t().history;
  return (
    <section class="panel sessions" id="sessions" aria-labelledby="history-sessions">
      <div class="panel-head">
        <h2 id="history-sessions" class="panel-title">
          {told.sessions} {rows.total !== null && <b>{totalOf(rows)}</b>}
        </h2>
        <div class="sessions-tools">
          <ColumnPicker columns={columns} onChange={choose} />
          <Export scope={scope} view={view} columns={columns} />
        </div>
      </div>
      {rows.problem && <ProblemNote problem={rows.problem} onAgain={again} />}
      <SessionTable
        rows={rows}
        columns={columns}
        sort={view.sort}
        zone={dashboard.model.zone}
        onSort={(sort) => onChange({ sort })}
        onEnd={more}
      />
      <p class="quiet" role="status">
        {state(rows)}
      </p>
    </section>
  );
}

/** As exact as it is known. */
function totalOf({ total, isExact }: Rows): string {
  const text = count(total ?? 0);
  return isExact ? text : t().history.about(text);
}

function state(rows: Rows): string {
  const { items, total, state, problem } = rows;
  const told = t().history;
  if (problem) return "";
  if (state === "loading") return told.loading;
  if (state === "end") return items.length === 0 ? told.noSessions : told.allSessions;
  return total === null ? "" : told.loaded(count(items.length), totalOf(rows));
}

interface ExportProps {
  readonly scope: Scope;
  readonly view: View;
  readonly columns: readonly Column[];
}

function Export({ scope, view, columns }: ExportProps) {
  const fields = fieldsOf(columns);
  return (
    <Disclosure class="to-left" label={t().history.export}>
      {(close) => (
        <ul class="export">
          {EXPORT_FORMATS.map((format) => (
            <li key={format}>
              <a
                href={fileAddress(exportPath(scope, view.sort, fields, format))}
                download={`sessions.${format}`}
                onClick={close}
              >
                {t().history.formats[format]}
              </a>
            </li>
          ))}
        </ul>
      )}
    </Disclosure>
  );
}
