/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptions of simulated caches in JSON, and the caches made from them. */
#include <glib.h>

#include "cacheray/caches.h"
#include "fuzz.h"

/* Larger caches would only take time. */
#define SIZE_BITS 20u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
    caches_config config;
    const bool valid = caches_read(fuzz_file(data, length), &config, NULL);
    bool small = valid;
    for (unsigned i = 0; valid && i < config.count; i++)
        small = small && config.levels[i].size <= 1u << SIZE_BITS;
    if (small) {
        config.coherent = length & 1;
        config.no_write_allocate = length & 2;
        caches *c = caches_new(&config);
        for (size_t i = 0; i < length; i++) {
            cache_result r;
            caches_access(c, (uint64_t)data[i] << data[length - 1 - i] % 57u, data[i], i % 3, i & 4, &r);
            FUZZ_CHECK(r.level <= config.count, "hit in level %u", r.level);
        }
        caches_free(c);
    }
    return 0;
}
