/** Connections to servers: how a command is sent, how its answer is awaited, and what a failure is reported as. */
@NullMarked
package io.dedup.store.redis.internal.connection;

import org.jspecify.annotations.NullMarked;
