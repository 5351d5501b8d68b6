/** How listeners of the older client are decorated, and what the client is answered. */
@NullMarked
package io.dedup.rocketmq.remoting.internal;

import org.jspecify.annotations.NullMarked;
