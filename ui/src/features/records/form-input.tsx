import { type ReactElement, type RefCallback, useRef } from "react";
import { type Control, Controller, type FieldPath, type FieldPathValue, type FieldValues } from "react-hook-form";

/** What an input of a form takes, in one go. */
export interface InputState<T> {
  value: T;
  onChange: (value: T) => void;
  error: string | undefined;
  /** Receives whether the typed text is invalid; the form is not saved then. */
  onWrong: (isWrong: boolean) => void;
  /** The element that receives the focus when the value is not accepted. */
  ref: RefCallback<HTMLElement>;
}

export interface FormInputProps<V extends FieldValues, N extends FieldPath<V>> {
  form: { control: Control<V> };
  name: N;
  /** Returns what is wrong with a value. */
  validate?: (value: FieldPathValue<V, N>) => string | undefined;
  children: (input: InputState<FieldPathValue<V, N>>) => ReactElement;
}

/** An input of a form other than a plain text input: a choice, a date, a number. */
export function FormInput<V extends FieldValues, N extends FieldPath<V>>({ form, name, validate, children }: FormInputProps<V, N>) {
  const isWrong = useRef(false);
  return (
    <Controller
      control={form.control}
      name={name}
      // An input that is wrong says so itself.
      rules={{ validate: (value) => (isWrong.current ? "" : validate?.(value)) ?? true }}
      render={({ field: { value, onChange, ref }, fieldState: { error } }) =>
        children({
          value,
          onChange,
          error: (error?.message ?? error?.root?.message) || undefined,
          onWrong: (wrong) => {
            isWrong.current = wrong;
          },
          ref,
        })
      }
    />
  );
}
