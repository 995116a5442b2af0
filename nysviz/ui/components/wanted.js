// Asks for the frames that the slider does not have yet, once the page has stood still for a moment.
const STILL = 400;

export default function ({data, parentElement, setTriggerValue}) {
  const isShort = () => (window.nysvizHand?.frames.get(data.token)?.size ?? 0) < data.frames;
  clearTimeout(parentElement.nysvizStill);
  parentElement.nysvizStill = setTimeout(() => { if (!data.asked || isShort()) setTriggerValue('wanted', data.token); }, STILL);
  return () => clearTimeout(parentElement.nysvizStill);
}
