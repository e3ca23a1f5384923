import { Blog } from './blog.mjs';
import { createPeople, growTo } from './writes.mjs';

/** An application with the blog, as large as it is to be: its server, the blog, the load for it and a token of a member. */
export async function filledBlog(bench, options, posts) {
  const server = await bench.roost(options);
  const { load } = server;
  const superuser = await server.setUp();
  const blog = new Blog(load, superuser, 100);
  await blog.open();
  const context = { blog, load, report: bench.report };
  await createPeople(context);
  await growTo(context, posts);
  return { server, blog, load, token: await blog.signIn() };
}
