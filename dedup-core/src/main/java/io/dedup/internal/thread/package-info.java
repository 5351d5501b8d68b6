/** Threads of engines, which several of them may share. Not API. */
@NullMarked
package io.dedup.internal.thread;

import org.jspecify.annotations.NullMarked;
