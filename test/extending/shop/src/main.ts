#!/usr/bin/env node
import { runRoost } from 'roost';
import { ShopModule } from './shop.module.js';

await runRoost({ imports: [ShopModule.forRoot({ webhookSecret: process.env['SHOP_WEBHOOK_SECRET'] ?? 'change me' })] });
