/** Where a message's ID is: expressions that properties and annotations hold. */
@NullMarked
package io.dedup.spring.boot.internal.id;

import org.jspecify.annotations.NullMarked;
