// Redraws the part of the page that it stands in once the server has marked news below.
export default function ({data, parentElement, setTriggerValue}) {
  clearInterval(parentElement.nysvizLook);
  parentElement.nysvizLook = setInterval(() => {
    if (!document.querySelector(`[data-nysviz-news="${data.token}"]`)) return;
    clearInterval(parentElement.nysvizLook);
    setTriggerValue('news', data.token); }, 50);
  return () => clearInterval(parentElement.nysvizLook);
}
