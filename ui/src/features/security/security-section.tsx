import { FactorCards } from "./factor-cards";
import { PasswordCard } from "./password-card";
import { SessionsCard } from "./sessions-card";

/** How one signs in, and where one is signed in. */
export function SecuritySection() {
  return (
    <div className="grid grid-cols-1 gap-6">
      <FactorCards />
      <PasswordCard />
      <SessionsCard />
    </div>
  );
}
