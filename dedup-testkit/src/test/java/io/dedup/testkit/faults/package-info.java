@NullMarked
package io.dedup.testkit.faults;

import org.jspecify.annotations.NullMarked;
