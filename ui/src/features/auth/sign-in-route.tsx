import { useNavigate, useSearchParams } from "react-router";
import { safeRedirect } from "@/lib/links";
import { SignInPage } from "./sign-in-page";

/** The sign-in page within the router, for the return after signing out. */
export function SignInRoute() {
  const navigate = useNavigate();
  const [search] = useSearchParams();
  return <SignInPage onSignedIn={() => navigate(safeRedirect(search.get("redirectURL")), { replace: true })} />;
}
