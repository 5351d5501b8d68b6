/** Scripts and how they are called: encoded, pipelined, and sent again to a server that does not know them. */
@NullMarked
package io.dedup.store.redis.internal.script;

import org.jspecify.annotations.NullMarked;
