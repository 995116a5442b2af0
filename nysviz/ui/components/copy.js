export default function ({parentElement}) {
  const part = name => parentElement.querySelector('.' + name);
  const address = part('address'), status = part('status');
  const question = () => document.querySelector('[data-testid=stMain] h2')?.textContent.trim() ?? 'nysviz';
  const escaped = text => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
  // The page without the app's frame and sidebar, to stand in another page.
  const framed = () => {
    const url = new URL(location);
    url.searchParams.delete('presentation');
    url.searchParams.set('embed', 'true');
    return `<iframe src="${escaped(url.href)}" title="${escaped(question())}" width="100%" height="800" `
      + 'style="border: 0" loading="lazy" allow="fullscreen"></iframe>'; };
  // Signs that would end the words or the address of a link.
  const marked = () => `[${question().replace(/[\\[\]]/g, '\\$&')}](${location.href.replace(/[()]/g, escape)})`;
  const texts = {
    link: ['Link to this page as it is now', () => location.href],
    iframe: ['HTML that shows this page inside another one', framed],
    markdown: ['Markdown with the question and the link', marked]};
  let kind = 'link';
  const refresh = () => {
    const [label, text] = texts[kind], now = text();
    parentElement.querySelector('label').textContent = label;
    if (address.value !== now) address.value = now; };
  const selected = () => {
    address.focus();
    address.select();
    try { return document.execCommand('copy'); } catch { return false; } };
  refresh();
  const watch = setInterval(refresh, 300);
  address.onfocus = () => address.select();
  const copy = async button => {
    kind = button.dataset.kind;
    refresh();
    let copied = false;
    try { await navigator.clipboard.writeText(address.value); copied = true; }
    catch { copied = selected(); button.focus(); }
    status.textContent = '';
    // Emptied first, so that a second copy is read aloud as well.
    setTimeout(() => {
      status.textContent = copied ? 'Copied.' : 'Not copied: select the text above and copy it.'; }, 50); };
  for (const button of parentElement.querySelectorAll('button')) button.onclick = () => copy(button);
  return () => clearInterval(watch);
}
