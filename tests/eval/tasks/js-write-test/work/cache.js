"use strict";

/**
 * A cache of at most `size` entries, each for `ttl` milliseconds after it was set. When it is full, a new key drops the entry that was used least recently:
 * `get` and `set` use one, `has` does not. `clock` returns the time in milliseconds.
 */
class Cache {
  constructor({ size, ttl, clock = Date.now }) {
    this.size = size;
    this.ttl = ttl;
    this.clock = clock;
    this.entries = new Map();
  }

  has(key) {
    const entry = this.entries.get(key);
    return entry !== undefined && this.clock() < entry.until;
  }

  get(key) {
    if (!this.has(key)) {
      this.entries.delete(key);
      return undefined;
    }
    const entry = this.entries.get(key);
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key, value) {
    this.entries.delete(key);
    if (this.entries.size >= this.size) {
      this.entries.delete(this.entries.keys().next().value);
    }
    this.entries.set(key, { value, until: this.clock() + this.ttl });
  }
}

module.exports = { Cache };
