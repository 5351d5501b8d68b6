/** The auto-configurations: which beans deduplicate, where the application has what they need. */
@NullMarked
package io.dedup.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
