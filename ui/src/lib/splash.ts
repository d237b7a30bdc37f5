/** Fades the splash out and removes it. */
export function hideSplash() {
  const splash = document.getElementById("splash");
  if (!splash) return;
  splash.classList.add("leaving");
  setTimeout(() => splash.remove(), 320);
}
