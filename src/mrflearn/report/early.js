// Runs before anything is drawn: the live picture is meant, and the still one shows if it fails.
"use strict";

document.documentElement.classList.add("scripted", "opening");
addEventListener("error", () => {
  const { classList } = document.documentElement;
  if (classList.contains("opening")) classList.remove("scripted", "opening");
});
