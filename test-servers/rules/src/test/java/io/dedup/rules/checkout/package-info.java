/** Rules about the files of this repository: its pages, the names of its tests, its POMs. */
@NullMarked
package io.dedup.rules.checkout;

import org.jspecify.annotations.NullMarked;
