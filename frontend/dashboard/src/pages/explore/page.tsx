import { t } from "../../core/language";
import type { PageProps } from "../../view/lazy";

export function Page({ dashboard }: PageProps) {
  return (
    <main class="main" data-zone={dashboard.model.zone}>
      <h2>{t().pages.explore}</h2>
    </main>
  );
}
