// Loaded before a node: time is as a machine tells it whose clock is TORTURE_CLOCK_OFF_MS ahead.
const off = Number(process.env.TORTURE_CLOCK_OFF_MS);
const right = Date;

globalThis.Date = class Date extends right {
  constructor(...given) {
    if (given.length === 0) super(right.now() + off);
    else super(...given);
  }

  static now() {
    return right.now() + off;
  }
};
