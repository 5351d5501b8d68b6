/** What is measured: a store behind the engine, and beside it what the bare driver can do. */
@NullMarked
package io.dedup.benchmarks.subject;

import org.jspecify.annotations.NullMarked;
