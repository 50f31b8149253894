/**
 * What the asked agent gets: the context, if there is one, in a frame, and then the prompt, untouched. The frame's lines
 * are longer than any line of dashes in the context, so that nothing in it can end the frame.
 */
export function composePrompt(prompt: string, context: string | undefined): string {
  if (context === undefined || context.trim() === '') return prompt;
  const rule = '-'.repeat(longestRule(context) + 1);
  return [
    'For your information, this is the conversation from which you are asked. The question stands below it.',
    `${rule} context ${rule}`,
    context.trimEnd(),
    `${rule} end of context ${rule}`,
    '',
    prompt,
  ].join('\n');
}

function longestRule(text: string): number {
  let longest = 3;
  for (const [dashes] of text.matchAll(/-{3,}/g)) longest = Math.max(longest, dashes.length);
  return Math.min(longest, 200);
}
