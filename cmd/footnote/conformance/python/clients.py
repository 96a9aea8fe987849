"""A client for plain and one for asynchronous code, with the same options."""

import asyncio

import openai


class Clients:
    def __init__(self, base_url, api_key, **options):
        self._options = {"base_url": base_url, "api_key": api_key, "timeout": 100, **options}
        self.plain = openai.OpenAI(**self._options)

    def having(self, **options):
        return Clients(**{**self._options, **options})

    def waiting(self, use):
        """Runs a coroutine with an asynchronous client, to its end."""

        async def main():
            async with openai.AsyncOpenAI(**self._options) as client:
                return await use(client)

        return asyncio.run(main())
