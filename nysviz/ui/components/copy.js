export default function ({parentElement}) {
  const part = name => parentElement.querySelector('.' + name);
  const address = part('address'), status = part('status');
  const refresh = () => { if (address.value !== location.href) address.value = location.href; };
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
