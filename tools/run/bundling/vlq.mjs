// Mappings of a source map, of version 3: lines of places, which a file tells as differences in numbers of variable length.
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Each digit has five bits of a number, and one that says that more follow. The first bit of a number is its sign. */
const BITS = 5;
const MORE = 1 << BITS;

function readNumbers(text) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    value |= (digit & (MORE - 1)) << shift;
    shift += BITS;
    if (digit & MORE) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function writeNumber(number) {
  let left = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const digit = left & (MORE - 1);
    left >>= BITS;
    text += DIGITS[left > 0 ? digit | MORE : digit];
  } while (left > 0);
  return text;
}

/**
 * @param {string} mappings of a source map
 * @returns {number[][][]} for each line of the program its places: column, and where there is a source its number, line and column
 */
export function decodeMappings(mappings) {
  const at = [0, 0, 0, 0];
  return mappings.split(';').map((line) => {
    at[0] = 0;
    if (line === '') return [];
    return line.split(',').map((place) =>
      readNumbers(place)
        .slice(0, at.length)
        .map((difference, index) => (at[index] += difference)),
    );
  });
}

/**
 * @param {number[][][]} lines as `decodeMappings` has them
 * @returns {string} the mappings of a source map
 */
export function encodeMappings(lines) {
  const at = [0, 0, 0, 0];
  const write = (place) =>
    place
      .map((value, index) => {
        const difference = value - at[index];
        at[index] = value;
        return writeNumber(difference);
      })
      .join('');
  return lines
    .map((line) => {
      at[0] = 0;
      return line.map(write).join(',');
    })
    .join(';');
}
