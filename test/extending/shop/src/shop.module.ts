import { type DynamicModule, Module } from '@nestjs/common';
import { CollectionsModule, FieldTypesModule, MailModule, OAuth2Module, RealtimeModule, RecordsModule } from 'roost';
import { ACME } from './acme-provider.js';
import { OrderHooks } from './order.hooks.js';
import { OrdersController } from './orders.controller.js';
import { OrdersService } from './orders.service.js';
import { PaymentsController } from './payments.controller.js';
import { ProductHooks } from './product.hooks.js';
import { ReportsCron } from './reports.cron.js';
import { ShopSetupCommand } from './shop-setup.command.js';
import { SkuField } from './sku-field.js';
import { StaffController } from './staff.controller.js';
import { WEBHOOK_SECRET } from './webhook-secret.js';

/** A small shop: products, orders, payments. */
@Module({})
export class ShopModule {
  /** `webhookSecret` is what the payment provider signs with. */
  static forRoot(options: { readonly webhookSecret: string }): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        CollectionsModule,
        RecordsModule,
        MailModule,
        RealtimeModule,
        FieldTypesModule.register(SkuField),
        OAuth2Module.register(ACME),
      ],
      controllers: [OrdersController, PaymentsController, StaffController],
      providers: [
        OrdersService,
        ProductHooks,
        OrderHooks,
        ReportsCron,
        ShopSetupCommand,
        { provide: WEBHOOK_SECRET, useValue: options.webhookSecret },
      ],
    };
  }
}
