import { useState } from "preact/hooks";
import { Logo } from "./icons";
import { t } from "../core/language";
import type { Dashboard } from "../shell/dashboard";

/** All there is for who has no key yet. */
export function LogIn({ dashboard }: { readonly dashboard: Dashboard }) {
  const [key, write] = useState("");
  const [fault, tell] = useState<string | null>(null);
  const { logIn: texts } = t();
  const submit = async (event: Event) => {
    event.preventDefault();
    tell(await dashboard.logIn(key.trim()));
  };
  return (
    <main class="log-in">
      <form class="log-in-form" onSubmit={submit}>
        <h1 class="brand">
          <Logo />
          <span class="brand-name">Clickwake</span>
        </h1>
        <label for="key">{texts.label}</label>
        <input
          id="key"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          spellcheck={false}
          placeholder="cw_…"
          value={key}
          aria-describedby="log-in-hint"
          aria-invalid={fault !== null}
          onInput={(event) => write(event.currentTarget.value)}
        />
        {fault !== null && (
          <p class="log-in-fault" role="alert">
            {fault}
          </p>
        )}
        <button class="tool" type="submit">
          {texts.button}
        </button>
        <p class="quiet" id="log-in-hint">
          {texts.hint} <code>./clickwake keys create --scope read</code>.
        </p>
      </form>
    </main>
  );
}
