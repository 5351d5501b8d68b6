@NullMarked
package io.dedup.store.redis.internal.script;

import org.jspecify.annotations.NullMarked;
