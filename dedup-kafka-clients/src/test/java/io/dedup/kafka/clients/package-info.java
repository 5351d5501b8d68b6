/** Tests of poll loops on a real broker. */
@NullMarked
package io.dedup.kafka.clients;

import org.jspecify.annotations.NullMarked;
