// Hears of the cell of a picture of K that was clicked, or that none is marked any more.
export default function ({setTriggerValue}) {
  window.nysvizCell?.();
  const tell = ({detail}) => {
    if (!detail && !window.nysvizHasCell) return;
    window.nysvizHasCell = Boolean(detail);
    setTriggerValue('clicked', detail ?? []); };
  window.addEventListener('nysviz-cell', tell);
  return window.nysvizCell = () => window.removeEventListener('nysviz-cell', tell);
}
