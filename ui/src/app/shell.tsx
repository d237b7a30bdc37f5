import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { Suspense, useDeferredValue, useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { type LoaderFunctionArgs, Outlet, useLoaderData, useMatches, useSearchParams } from "react-router";
import { fetchSequence } from "@/api/live";
import { queryClient, timedRefreshMs } from "@/api/query";
import { setUser, useSession } from "@/api/session";
import { fetchUser, useUser } from "@/features/account/data";
import { UserTool } from "@/features/account/user-tool";
import { ChatDock } from "@/features/chat/chat-dock";
import { ChatRail } from "@/features/chat/chat-rail";
import { ChatTool } from "@/features/chat/chat-tool";
import { chatsQuery } from "@/features/chat/data";
import { loadCompanyInfo } from "@/features/company-info/data";
import { navigationQuery } from "@/features/navigation/data";
import { ComposeDock } from "@/features/notices/compose/compose-dock";
import { noticesQuery } from "@/features/notices/data";
import { NoticeTool } from "@/features/notices/notice-tool";
import { LogDock } from "@/features/record-parts/log-dock";
import { SearchTool } from "@/features/search/search-tool";
import { shortcutsQuery } from "@/features/shortcuts/data";
import { ShortcutsTool } from "@/features/shortcuts/shortcuts-tool";
import { FullscreenTool } from "@/features/tools/fullscreen-tool";
import { LanguageTool } from "@/features/tools/language-tool";
import { setLanguage } from "@/i18n";
import { loadLayout, useLayout } from "@/layouts/register";
import { chooseLayout } from "@/lib/layout";
import { lazyOnIdle, preloadOnFirstInput } from "@/lib/lazy-on-idle";
import { useAtLeast } from "@/lib/media";
import { appearanceOf, useAppearance, usePreview } from "@/shell/appearance-preview";
import { useCompanyInfo } from "@/shell/company-info";
import { applyScheme } from "@/theme/schemes";
import { Banners } from "./banners";
import { CommandPalette } from "./command-palette";
import { FactorReminder } from "./factor-reminder";
import { IdleGuard } from "./idle-guard";
import { ShortcutsHelp } from "./shortcuts-help";
import { useRealtime } from "./use-realtime";

const NoticeWatch = lazyOnIdle(() => import("@/features/notices/notice-watch"));

/** Loads, before entry, the member and the header's data in parallel. */
export async function loader({ request }: LoaderFunctionArgs) {
  const optional = [noticesQuery("messages"), noticesQuery("notifications"), chatsQuery, shortcutsQuery];
  const [sequence, user] = await Promise.all([
    // Asked first, so that no change is missed between these reads and the first frame.
    fetchSequence().catch(() => undefined),
    // Sign-in and refresh have returned it already.
    useSession.getState().user ?? fetchUser(),
    // If the host name does not determine the company, it is known only after sign-in.
    useCompanyInfo.getState().company.id ? undefined : loadCompanyInfo().catch((error: unknown) => console.error(error)),
    queryClient.ensureQueryData(navigationQuery),
    // A panel that fails to load says so when it is opened; it must not block entry.
    ...optional.map((query) => queryClient.prefetchQuery(query as never)),
  ]);
  setUser(user);
  const { layout } = appearanceOf(usePreview.getState(), user, useCompanyInfo.getState().company);
  const query = new URL(request.url).searchParams.get("layout");
  await Promise.all([
    setLanguage(user.locale).catch((error: unknown) => console.error(error)),
    loadLayout(chooseLayout({ member: layout, query })),
  ]);
  return { sequence };
}

function useChosenLayout() {
  const { layout } = useAppearance();
  const [search] = useSearchParams();
  const routes = useMatches().map(({ handle }) => (handle as { layout?: string } | undefined)?.layout);
  return chooseLayout({ member: layout, query: search.get("layout"), routes });
}

function Frame() {
  const user = useUser();
  const { company, front } = useCompanyInfo();
  const { data: navigation } = useQuery({ ...navigationQuery, refetchInterval: timedRefreshMs });
  const { sequence } = useLoaderData<typeof loader>();
  const layout = useChosenLayout();
  const Layout = useLayout(layout);
  // The compact layout has room for an ordinary search field beside its navigation.
  const roomy = useAtLeast("lg");
  const basic = layout === "compact" && roomy;
  const [screen] = useState(() => {
    const node = document.createElement("div");
    node.className = "contents";
    return node;
  });

  const { scheme } = useAppearance();
  useEffect(() => applyScheme(scheme), [scheme]);
  useEffect(preloadOnFirstInput, []);
  useRealtime(sequence);

  return (
    <>
      {createPortal(<Outlet />, screen)}
      <Layout
        company={user.customer.name}
        logo={{ onLight: company.logotipo_dark, onDark: company.logotipo_light }}
        navigation={navigation ?? { default: [], compact: [], futuristic: [], horizontal: [] }}
        tools={{
          language: <LanguageTool />,
          fullscreen: <FullscreenTool />,
          search: <SearchTool appearance={basic ? "basic" : "bar"} />,
          shortcuts: <ShortcutsTool />,
          messages: <NoticeTool kind="messages" />,
          notifications: <NoticeTool kind="notifications" />,
          chat: <ChatTool />,
          user: <UserTool />,
        }}
        person={{ name: user.name, email: user.email, avatar: user.avatar, menu: <UserTool icon /> }}
        support={company.support_link ?? "/apps/help-center"}
        screen={screen}
        rail={<ChatRail />}
        version={front}
      />
      <ChatDock />
      <ComposeDock />
      <LogDock />
    </>
  );
}

/** The signed-in application: chooses the layout and fills its slots. */
export function Shell() {
  // Parts that show nothing at first do not delay the screen.
  const drawn = useDeferredValue(true, false);
  return (
    <QueryClientProvider client={queryClient}>
      <Frame />
      {drawn && (
        <>
          <Banners>
            <FactorReminder />
          </Banners>
          <CommandPalette />
          <Suspense>
            <NoticeWatch />
          </Suspense>
          <ShortcutsHelp />
          <IdleGuard />
        </>
      )}
    </QueryClientProvider>
  );
}
