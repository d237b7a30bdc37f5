import { useQuery } from "@tanstack/react-query";
import { Card } from "@/components/card";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { factorsQuery } from "./data";
import { PasskeysCard } from "./passkeys-card";
import { RequiredNote } from "./required-note";
import { TwoStepCard } from "./two-step-card";

/** The second factors: authenticator and passkeys. */
export function FactorCards() {
  const { data, error, refetch } = useQuery(factorsQuery);
  if (!data) {
    return <Card>{error ? <ErrorState error={error} onRetry={() => void refetch()} className="py-4" /> : <SkeletonRows rows={2} />}</Card>;
  }
  return (
    <>
      <RequiredNote factors={data} />
      <TwoStepCard factors={data} />
      <PasskeysCard factors={data} />
    </>
  );
}
