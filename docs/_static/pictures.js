// Draws each picture in the colours of the page, and again where these are changed.
const dim = matchMedia("(prefers-color-scheme: dark)");
const draw = () => document.querySelectorAll(".picture").forEach(box => {
  const theme = document.body.dataset.theme;
  const ink = theme === "dark" || (theme !== "light" && dim.matches) ? "dark" : "light";
  const figure = JSON.parse(box.nextElementSibling.textContent)[ink];
  Plotly.react(box, figure.data, figure.layout, {responsive: true, displaylogo: false});
});
document.addEventListener("DOMContentLoaded", () => {
  draw();
  dim.addEventListener("change", draw);
  new MutationObserver(draw).observe(document.body, {attributeFilter: ["data-theme"]});
});
