/** A name server, a broker and a gRPC proxy in one process. */
@NullMarked
package io.dedup.testservers.rocketmq.program;

import org.jspecify.annotations.NullMarked;
