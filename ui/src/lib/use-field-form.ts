// The one place that uses the library's hook: see below.
import { type FieldValues, get, type UseFormProps, type UseFormRegister, type UseFormReturn, useForm } from "react-hook-form";

/**
 * A form that checks a field when it is left with something typed, and all fields when it is sent. A field that is left
 * as it was says nothing before, so a press on another button in an empty form shows no errors.
 */
export function useFieldForm<V extends FieldValues>(options: UseFormProps<V>): UseFormReturn<V> {
  const form = useForm<V>({ mode: "onTouched", ...options });
  const { isSubmitted, defaultValues } = form.formState;
  const register: UseFormRegister<V> = (name, rules) => {
    const field = form.register(name, rules);
    return {
      ...field,
      onBlur: async (event) => {
        const isAsItWas = form.getValues(name) === get(defaultValues, name);
        if (isSubmitted || !isAsItWas) await field.onBlur(event);
      },
    };
  };
  return { ...form, register };
}
