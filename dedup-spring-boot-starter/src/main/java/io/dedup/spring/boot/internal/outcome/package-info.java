/** Names and counts the outcomes of messages. */
@NullMarked
package io.dedup.spring.boot.internal.outcome;

import org.jspecify.annotations.NullMarked;
