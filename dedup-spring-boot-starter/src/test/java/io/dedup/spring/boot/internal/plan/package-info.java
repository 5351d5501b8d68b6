@NullMarked
package io.dedup.spring.boot.internal.plan;

import org.jspecify.annotations.NullMarked;
