// The menu "Share": shows the link to the page as text, HTML or Markdown, and copies it.
export default function ({parentElement}) {
  const part = name => parentElement.querySelector('.' + name);
  const address = part('address'), status = part('status');
  const questionText = () => document.querySelector('[data-testid=stMain] h2')?.textContent.trim() ?? 'nysviz';
  const escapeHtml = text => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
  // The page without the app's frame and sidebar, to stand in another page.
  const iframeText = () => {
    const url = new URL(location);
    url.searchParams.delete('presentation');
    url.searchParams.set('embed', 'true');
    return `<iframe src="${escapeHtml(url.href)}" title="${escapeHtml(questionText())}" width="100%" height="800" `
      + 'style="border: 0" loading="lazy" allow="fullscreen"></iframe>'; };
  // Escapes signs that would end the text or the address of a link.
  const markdownText = () =>
    `[${questionText().replace(/[\\[\]]/g, '\\$&')}](${location.href.replace(/[()]/g, escape)})`;
  const texts = {
    link: ['Link to this page as it is now', () => location.href],
    iframe: ['HTML that shows this page inside another one', iframeText],
    markdown: ['Markdown with the question and the link', markdownText]};
  let kind = 'link';
  const refresh = () => {
    const [label, makeText] = texts[kind], text = makeText();
    parentElement.querySelector('label').textContent = label;
    if (address.value !== text) address.value = text; };
  const copySelection = () => {
    address.focus();
    address.select();
    try { return document.execCommand('copy'); } catch { return false; } };
  refresh();
  const timer = setInterval(refresh, 300);
  address.onfocus = () => address.select();
  const copy = async button => {
    kind = button.dataset.kind;
    refresh();
    let isCopied = false;
    try { await navigator.clipboard.writeText(address.value); isCopied = true; }
    catch { isCopied = copySelection(); button.focus(); }
    status.textContent = '';
    // Emptied first, so that a second copy is read aloud as well.
    setTimeout(() => {
      status.textContent = isCopied ? 'Copied.' : 'Not copied: select the text above and copy it.'; }, 50); };
  for (const button of parentElement.querySelectorAll('button')) button.onclick = () => copy(button);
  return () => clearInterval(timer);
}
