import { useState } from "preact/hooks";
import { sentence } from "./asked";
import { useAnswer } from "./use_answer";
import { Icon } from "./icons";
import { mayAdminister } from "../core/access";
import { t } from "../core/language";
import { parametersOf, viewLink, type View } from "../core/views";
import { readQuery } from "../shell/address";
import { remove, post } from "../shell/ask";
import type { Dashboard } from "../shell/dashboard";
import "../styles/pages.css";

interface Views {
  readonly items: readonly View[];
}

/** The views that people saved of the page that is shown, as links; and saving another. */
export function SavedViews({ dashboard }: { readonly dashboard: Dashboard }) {
  const { place, standing } = dashboard.model;
  const asked = useAnswer<Views>(`/views?page=${place.page}`);
  const [fault, blame] = useState("");
  const mayAct = mayAdminister(standing);
  const views = asked.answer?.items ?? [];
  if (views.length === 0 && !mayAct) return null;
  const change = async (act: () => Promise<unknown>) => {
    const failure = await act().then(
      () => "",
      (error: unknown) => sentence(error),
    );
    blame(failure);
    asked.again();
    return failure === "";
  };
  return (
    <section class="views" aria-label={t().views.title}>
      <b class="views-title">{t().views.title}</b>
      <ul>
        {views.map((view) => (
          <li key={view.view_id} class="view-chip">
            <a href={viewLink(view)}>
              <bdi>{view.name}</bdi>
            </a>
            {mayAct && (
              <button
                type="button"
                aria-label={t().views.remove(view.name)}
                title={t().views.remove(view.name)}
                onClick={() => void change(() => remove(`/views/${view.view_id}`))}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayAct && (
        <Save
          save={(name) =>
            change(() => {
              const parameters = parametersOf(place.page, place.part, readQuery());
              return post("/views", { page: place.page, name, parameters });
            })
          }
        />
      )}
      {fault && (
        <p class="answer-fault" role="alert">
          {fault}
        </p>
      )}
    </section>
  );
}

interface SaveProps {
  /** Whether it worked. */
  readonly save: (name: string) => Promise<boolean>;
}

function Save({ save }: SaveProps) {
  const [name, type] = useState("");
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await save(name)) type("");
  };
  return (
    <form class="views-save" onSubmit={(event) => void submit(event)}>
      <input
        class="text-field"
        type="text"
        aria-label={t().views.name}
        placeholder={t().views.name}
        maxLength={80}
        autocomplete="off"
        value={name}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <button type="submit" class="tool" disabled={name.trim() === ""}>
        {t().views.save}
      </button>
    </form>
  );
}
