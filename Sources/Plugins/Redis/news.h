/* What others of a scope announce: a thread that listens on a channel, over a connection of its own. */
#ifndef NEWS_H
#define NEWS_H

#include "options.h"
#include <hoist/plugin.h>

typedef struct news news;

/* Copies options and channel. NULL: no memory, or no thread. */
news *news_start(const options *options, const char *channel, hoist_cache_news *told);
/* When it returns, no post is under way, and none comes. The thread ends by itself, and waits for no one. NULL is harmless. */
void news_end(news *own);

#endif
