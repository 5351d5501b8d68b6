/** The command and its sections: what is measured of which store, and how it is reported. */
@NullMarked
package io.dedup.benchmarks;

import org.jspecify.annotations.NullMarked;
