/** Keeps what handlers return, and answers duplicate requests with it. */
@NullMarked
package io.dedup.kafka.internal.reply;

import org.jspecify.annotations.NullMarked;
