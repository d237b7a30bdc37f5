import { LoadingBar } from "@/components/loading-bar";
import { SignInPage } from "@/features/auth/sign-in-page";
import { safeRedirect } from "@/lib/links";

/** The sign-in page alone: the rest of the application loads while the guest types. */
export function GuestEntry({ onEnter, onTyping }: { onEnter: () => Promise<void>; onTyping: () => void }) {
  const enter = async () => {
    history.replaceState(null, "", safeRedirect(new URLSearchParams(location.search).get("redirectURL")));
    await onEnter();
  };
  return (
    <>
      <LoadingBar />
      <SignInPage onTyping={onTyping} onSignedIn={enter} />
    </>
  );
}
