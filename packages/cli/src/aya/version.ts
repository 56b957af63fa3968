/** As in the package's manifest, which a bundle of one file does not carry along. A test compares the two. */
export const VERSION = '0.1.0';
