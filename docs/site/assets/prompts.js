// The copy button takes the inputs of a transcript without prompts and outputs.
document$.subscribe(() => {
  for (const code of document.querySelectorAll('pre > code')) {
    const lines = code.textContent.split('\n');
    const prompt = /^\s*(?:t7>|th>|\$)(?: |$)/, more = /^\s*(?:\.\.>|>>)(?: |$)/;
    if (!lines.some(line => prompt.test(line))) continue;
    const kept = lines.filter(line => prompt.test(line) || more.test(line));
    code.parentElement.dataset.copy = kept.map(line => line.replace(prompt, '').replace(more, '')).join('\n');
  }
});
