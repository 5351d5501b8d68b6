/** The subjects of measurements: a store behind the engine, and the same requests sent by the bare driver. */
@NullMarked
package io.dedup.benchmarks.subject;

import org.jspecify.annotations.NullMarked;
