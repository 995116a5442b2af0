// Sends the clicked cell of a picture of K to the server, or that none is marked any more.
export default function ({setTriggerValue}) {
  window.nysvizCell?.();
  const sendCell = ({detail}) => {
    if (!detail && !window.nysvizHasCell) return;
    window.nysvizHasCell = Boolean(detail);
    setTriggerValue('clicked', detail ?? []); };
  window.addEventListener('nysviz-cell', sendCell);
  return window.nysvizCell = () => window.removeEventListener('nysviz-cell', sendCell);
}
