import { CircleAlert } from "lucide-react";
import { Text } from "react-aria-components/Text";

/** The error below a choice of React Aria, which ties it to its input. */
export function ChoiceError({ error }: { error: string | undefined }) {
  return (
    error && (
      <Text slot="errorMessage" className="mt-1.5 flex gap-1.5 text-sm text-bad">
        <CircleAlert aria-hidden size={16} className="mt-0.5" />
        {error}
      </Text>
    )
  );
}
