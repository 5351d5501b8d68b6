/** Replays in Spring's test context. */
@NullMarked
package io.dedup.testkit.spring;

import org.jspecify.annotations.NullMarked;
