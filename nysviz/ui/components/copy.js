export default function ({parentElement}) {
  const part = name => parentElement.querySelector('.' + name);
  const address = part('address'), status = part('status');
  // The m of the strip on Approximate is dragged in the browser alone.
  const link = () => {
    const url = new URL(location);
    const [strip] = [...document.querySelectorAll('.js-plotly-plot')].map(chart => chart.layout?.sliders?.[0])
      .filter(slider => slider?.currentvalue.prefix === 'm = ' && slider.active !== slider.steps.length >> 1);
    if (strip) url.searchParams.set('approximate_strip', strip.steps[strip.active].label);
    return url.href; };
  const refresh = () => { const now = link(); if (address.value !== now) address.value = now; };
  const selected = () => {
    address.focus();
    address.select();
    try { return document.execCommand('copy'); } catch { return false; } };
  refresh();
  const watch = setInterval(refresh, 300);
  address.onfocus = () => address.select();
  part('button').onclick = async () => {
    refresh();
    let copied = false;
    try { await navigator.clipboard.writeText(address.value); copied = true; }
    catch { copied = selected(); part('button').focus(); }
    status.textContent = '';
    // Emptied first, so that a second copy is read aloud as well.
    setTimeout(() => {
      status.textContent = copied ? 'Copied.' : 'Not copied: select the link above and copy it.'; }, 50); };
  return () => clearInterval(watch);
}
