import { FactorCards } from "./factor-cards";
import { PasswordCard } from "./password-card";
import { SessionsCard } from "./sessions-card";

/** The sign-in methods and the open sessions. */
export function SecuritySection() {
  return (
    <div className="grid grid-cols-1 gap-6">
      <FactorCards />
      <PasswordCard />
      <SessionsCard />
    </div>
  );
}
