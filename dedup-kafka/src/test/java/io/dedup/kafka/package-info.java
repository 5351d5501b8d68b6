@NullMarked
package io.dedup.kafka;

import org.jspecify.annotations.NullMarked;
