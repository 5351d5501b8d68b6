/** Scripts and how they are called: encoded, sent together, and sent again to a server that has forgotten them. */
@NullMarked
package io.dedup.store.redis.internal.script;

import org.jspecify.annotations.NullMarked;
